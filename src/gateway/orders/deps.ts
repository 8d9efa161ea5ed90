// What the use cases of orders work with: the doors of lower rooms and the ports that app.ts fills. No behaviour of its own.
import type { Clock, FairQueue, IdMaker, Log, Money, Pan, Permutation, Random } from '../../base/index.ts';
import type { EventMaker } from '../../events/index.ts';
import type { RateOf } from '../../ledger/index.ts';
import type { Link, StanMaker } from '../../network/index.ts';
import type { Committer, Db, Lease, OnceForm, OnceRecords } from '../../store/index.ts';
import type { ExternalResult, Threeds } from '../../threeds/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Project } from '../projects/index.ts';
import type { Risk } from '../risk/index.ts';
import type { ReadOrder } from './queries/orders.ts';

/** What the simulator knows about its own cards; only asked for terminals on its link. */
export interface SimulatedIssuer {
  /** The issuer insists on a challenge or answers the directory by itself, also without force3d. */
  mandatesAuthentication(pan: Pan, holder: string | null): boolean;
  /** The acquirer's own screening rejects this card. */
  screensAsFraud(pan: Pan, holder: string | null): boolean;
  chargebackAfterSettlement(pan: Pan, holder: string | null): 'fraud' | 'not_received' | null;
}

export type Wallet = 'apple_pay' | 'google_pay';

/** What an authorization is asked with instead of what a payer types. */
export interface WalletMeans {
  readonly card: { readonly pan: Pan; readonly expiry: string; readonly cvv: null; readonly holder: null };
  /** The device's proof; null: a plain card, to be authenticated as any other. */
  readonly external: ExternalResult | null;
  /** Id of the token: it pays once. */
  readonly onceOnly: string;
}

/** Port, filled by app.ts: the installation's wallet keys. */
export interface WalletKeys {
  /** Which wallets there are keys for. */
  readonly offered: readonly Wallet[];
  /**
   * What a wallet's token pays with: the card, and the device's cryptogram as a proof of authentication. null: it is no good, or was
   * approved for another amount. `token` null: a token of the sandbox's own wallet, which exists in sandbox mode only.
   */
  open(wallet: Wallet, token: string | null, due: Money, now: Date): Promise<WalletMeans | null>;
}

export interface GatewayDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly stans: StanMaker;
  readonly log: Log;
  readonly db: Db;
  /** The same for lists, whose filters may look at many rows. */
  readonly lists: Db;
  readonly orderOf: ReadOrder;
  readonly committer: Committer;
  readonly vault: Vault;
  readonly threeds: Threeds;
  readonly risk: Risk;
  readonly links: ReadonlyMap<string, Link>;
  readonly permutation: Permutation;
  readonly events: EventMaker;
  readonly once: OnceRecords;
  readonly onceForm: OnceForm;
  readonly publicUrl: string;
  readonly sandbox: boolean;
  /** null: no wallets. */
  readonly wallets: WalletKeys | null;
  readonly simulatedIssuer: SimulatedIssuer | null;
  /** Whose work it is: this process', as long as it counts as living. */
  readonly lease: Pick<Lease, 'process' | 'keeps' | 'living' | 'renewMs'>;
  readonly project: (id: bigint) => Promise<Project | null>;
  /** From memory, as they stand. */
  readonly rates: () => RateOf;
  /** What nobody waits for takes turns there with what is due. */
  readonly queue: FairQueue;
}
