// From which addresses a project's credentials may be used.
import { BlockList, isIP } from 'node:net';
import type { Project } from './settings.ts';

const lists = new WeakMap<Project, BlockList>();

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** True when the project names no addresses, or one that covers this one. An IPv4 address in IPv6 form counts as what it is. */
export function addressAllowed(project: Project, address: string): boolean {
  const ranges = project.settings.allowed_addresses;
  if (ranges.length === 0) return true;
  if (isIP(address) === 0) return false;
  let list = lists.get(project);
  if (!list) {
    list = new BlockList();
    for (const range of ranges) {
      const [net = '', prefix] = range.split('/');
      if (prefix === undefined) list.addAddress(net, family(net));
      else list.addSubnet(net, Number(prefix), family(net));
    }
    lists.set(project, list);
  }
  return list.check(address, family(address));
}
