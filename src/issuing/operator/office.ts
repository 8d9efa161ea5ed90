// What the operator's endpoints for issuing work with. Rule: nothing is changed for an operator but through `change`, which audits it.
import type { Db } from '../../store/index.ts';
import type { Issuer } from '../issuer/index.ts';
import type { TenantsRoom, Tools } from '../tenants/index.ts';

/** Who asks, from where. */
export interface Asked {
  readonly principal: { readonly name: string };
  readonly remoteAddress: string;
}

export interface IssuingOffice {
  readonly issuer: Issuer;
  readonly tenants: TenantsRoom;
  readonly tools: Tools;
  /** Port: runs a change in one transaction together with its audit row; a refused one leaves a row that says so. */
  change<Value>(asked: Asked, action: string, target: string, work: (db: Db) => Promise<Value>): Promise<Value>;
}
