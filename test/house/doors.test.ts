// The outside has few doors. Everything that decides is told the time, chance and settings it needs: that is what makes
// a payment replayable from a seed, and it can't be put in afterwards.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { filesIn, ROOT, type Source, sourceOf } from './source.ts';

interface Door {
  readonly what: string;
  /** Files that may: a folder or one file. */
  readonly at: readonly string[];
  /** As `reaches` of a source tells them. */
  readonly reaches?: RegExp;
  /** `module name`, as imported. */
  readonly imports?: RegExp;
}

const DOORS: readonly Door[] = [
  {
    what: 'time',
    at: ['src/base/clock.ts'],
    reaches:
      /^(Date\.now|Date\(\)|new Date\(\)|Date\[\]|performance\.\w+|Temporal\.Now|process\.(hrtime|uptime)|(set|clear)(Timeout|Interval|Immediate)\(\))$/,
    imports: /^node:(timers|timers\/promises|perf_hooks) /,
  },
  {
    what: 'chance',
    at: ['src/base/random.ts'],
    reaches: /^(Math\.random|Math\[\]|crypto\.\w+|crypto\[\])$/,
    imports: /^node:crypto (random\w*|getRandomValues|webcrypto|default|\*)$/,
  },
  { what: 'the console', at: [], reaches: /^console[.[]/, imports: /^node:console / },
  { what: 'standard output', at: ['src/main.ts'], reaches: /^process\.(stdout|stderr|stdin)$/ },
  {
    what: 'the environment',
    at: ['src/config.ts'],
    reaches: /^process\.env$|^process\[\]$/,
    imports: /^node:process /,
  },
  { what: 'the command line', at: ['src/main.ts'], reaches: /^process\.(argv|cwd|exit|exitCode|on|once)$/ },
  {
    what: 'sockets',
    at: ['src/store/', 'src/http/', 'src/network/', 'src/threeds/', 'src/events/egress/', 'src/cli/client.ts'],
    reaches: /^(fetch\(\)|new (WebSocket|EventSource)\(…?\))$/,
    imports:
      /^undici |^node:(http|https|http2|tls|dgram|dns|net) (?!isIP|isIPv4|isIPv6|BlockList$|SocketAddress$|STATUS_CODES$)/,
  },
  {
    what: 'other programs',
    at: ['src/store/', 'src/processes/'],
    reaches: /^process\.(kill|getuid|setuid)$/,
    imports: /^node:(child_process|cluster|worker_threads|vm) /,
  },
  {
    what: 'files',
    at: [
      'src/store/',
      'src/vault/',
      'src/pages/',
      'src/http/listener/tls.ts',
      'src/config.ts',
      'src/main.ts',
      'src/cli/files.ts',
    ],
    imports: /^node:fs(\/promises)? /,
  },
  {
    what: 'the clear card number',
    // The simulator stands where the acquirer does: behind the wire. An issuer shows its own cards to their holders, in one file.
    at: ['src/vault/', 'src/network/simulator/cards.ts', 'src/issuing/secrets/reveal.ts'],
    reaches: /^\.reveal\(\)$/,
  },
  { what: 'code from text', at: [], reaches: /^(eval\(\)|new Function\(…?\)|Function\(\))$/ },
];

function misuses(source: Source): string[] {
  const found: string[] = [];
  for (const door of DOORS) {
    if (door.at.some((place) => source.path === place || (place.endsWith('/') && source.path.startsWith(place))))
      continue;
    const used = [
      ...source.reaches.filter((reach) => door.reaches?.test(reach)),
      ...source.imports
        .flatMap((i) => i.names.map((name) => `${i.module} ${name}`))
        .filter((text) => door.imports?.test(text)),
    ];
    for (const use of used)
      found.push(`${source.path}: ${use} (${door.what} only in ${door.at.join(', ') || 'no file'})`);
  }
  return found;
}

describe('doors to the outside', () => {
  it('are used only where they belong', () => {
    const files = filesIn('src', '.ts');
    assert.ok(files.length > 100, 'the source was read');
    assert.deepEqual(
      files.flatMap((path) => misuses(sourceOf(path))),
      [],
    );
  });

  it('are where they are said to be', () => {
    assert.deepEqual(
      DOORS.flatMap(({ at }) => at.filter((place) => !existsSync(join(ROOT, place)))),
      [],
    );
  });

  const PLANTED: readonly (readonly [string, string])[] = [
    ['time', 'const at = Date.now();'],
    ['time', 'const at = new Date();'],
    ['time', 'const { now } = Date;'],
    ['time', 'setTimeout(() => {}, 5);'],
    ['time', 'const later = setTimeout;'],
    ['time', "import { setTimeout as sleep } from 'node:timers/promises';"],
    ['time', 'const at = performance.now();'],
    ['chance', 'const n = Math.random();'],
    ['chance', "import { createHmac, randomBytes } from 'node:crypto';"],
    ['chance', 'const id = crypto.randomUUID();'],
    ['the console', "console.log('x');"],
    ['standard output', "process.stdout.write('x');"],
    ['the environment', 'const home = process.env.HOME;'],
    ['the environment', "const home = process['env'];"],
    ['the environment', "import { env } from 'node:process';"],
    ['sockets', "const answer = await fetch('http://x');"],
    ['sockets', "import { connect } from 'node:net';"],
    ['sockets', "import { request } from 'undici';"],
    ['other programs', "import { spawn } from 'node:child_process';"],
    ['files', "import { readFileSync } from 'node:fs';"],
    ['the clear card number', 'const digits = card.pan.reveal();'],
    ['code from text', "new Function('return 1');"],
  ];
  for (const [door, text] of PLANTED)
    it(`shut for ${text}`, () => {
      const found = misuses(sourceOf('src/gateway/orders/planted.ts', text));
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] as string, new RegExp(door));
    });

  it('open for what is harmless', () => {
    const harmless = [
      "import { isIP } from 'node:net';",
      "import type { Socket } from 'node:net';",
      "import { createHmac, timingSafeEqual } from 'node:crypto';",
      'const at = new Date(order.createdAt);',
      "const text = 'Date.now() and setTimeout() and process.env';",
      'const day: Date = clock.now();',
      'await clock.sleep(5);',
    ];
    assert.deepEqual(
      harmless.flatMap((text) => misuses(sourceOf('src/gateway/orders/planted.ts', text))),
      [],
    );
  });
});
