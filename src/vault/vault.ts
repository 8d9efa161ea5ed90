// The vault itself: cards and CVVs go in as changes for the caller's commit and come out one at a time.
// Rule: a card number leaves only through `open`, a CVV only through `openCvv`; neither is ever logged, counted or compared here.
import path from 'node:path';
import { assert, type Clock, type Log, Pan, type Random } from '../base/index.ts';
import type { Change, Db, Told } from '../store/index.ts';
import { type CardVerification, cardVerification } from './card-verification.ts';
import { cardBinding, cvvBinding, decrypt, derive, encrypt, hmac, keyBinding } from './envelope.ts';
import { VaultError } from './errors.ts';
import { folderCreate } from './files.ts';
import type { Kek } from './key-file.ts';
import { openKeyring } from './keyring.ts';
import {
  type CardRow,
  cardInsert,
  cardReader,
  cvvGet,
  cvvInsert,
  cvvRemove,
  cvvsDeleteUntil,
  cvvsOverdue,
} from './queries.ts';
import { createRotation, type Rotation } from './rotation.ts';
import { sadKeys } from './sad-keys.ts';

export interface SealedCard {
  readonly pan: Pan;
  /** YYMM (DE 14); empty when the payer gave none. */
  readonly expiry: string;
  readonly holder: string | null;
}

export interface Sealed {
  readonly change: Change;
  readonly fingerprint: string;
}

/** Seals under the key that it was made with, and asks nobody: fit for a decision. */
export type Sealer = (owner: bigint, id: bigint, card: SealedCard, told: Pick<Told, 'now' | 'chance'>) => Sealed;

export interface Vault extends Rotation {
  /** Encrypts a card for an owner: the row is to be committed with the order it belongs to. */
  seal(owner: bigint, id: bigint, card: SealedCard): Sealed;
  /** With the key of this moment. Noise is of each sealing: a decision that is made again must not use the same twice. */
  sealer(): Sealer;
  /** null: the owner has no such card. The caller writes the audit record. Throws when the row does not open under its key. */
  open(owner: bigint, id: bigint): Promise<SealedCard | null>;
  /** HMAC-SHA-256 of the card number under a key of its own, hex: the same card, the same text, in this installation only. */
  fingerprint(pan: Pan): string;
  /** The CVV of a prepared order, readable until `until`, or until its short-lived key ends if that is earlier. */
  sealCvv(owner: bigint, id: bigint, cvv: string, until: Date): Change;
  /** null: none, past its time, or its key is destroyed. */
  openCvv(owner: bigint, id: bigint): Promise<string | null>;
  /** Belongs into the commit that decides the authorization. */
  dropCvv(owner: bigint, id: bigint): Change;
  /** HMAC-SHA-256 under a key derived for that purpose alone. Purposes are words of the code, never data. */
  keyed(purpose: string, data: Buffer | string): Buffer;
  /** CVV and PIN of the cards that this installation issues. */
  readonly cardVerification: CardVerification;
  /** The key file lies in one folder with the data it protects. */
  readonly keysBesideData: boolean;
  /** 16 bytes: the key of the id permutation. */
  readonly ids: Buffer;
  /** Deletes the CVVs that are past their time, then the keys that have ended; answers how many keys. To be run every minute. */
  destroyExpiredKeys(now: Date): Promise<number>;
  /** CVVs that are past their time and still there: 0 while the job above runs. */
  overdueCvvs(now: Date): Promise<bigint>;
}

export interface VaultOptions {
  readonly dataDir: string;
  /** Elsewhere than `<dataDir>/florin.keys.json`: a mounted secret, a volume that processes share. */
  readonly keyFile?: string | null;
  readonly database: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Make a key file when there is none and the database has not been used with one. */
  readonly allowCreate: boolean;
  /** The longest time that an order may wait for its cardholder. */
  readonly challengeWindowMs?: number;
}

export const KEY_FILE = 'florin.keys.json';
const SAD_FOLDER = 'sad-keys';
const DEFAULT_WINDOW_MS = 3_600_000;

/**
 * Opens the installation's vault. Throws a VaultError with one sentence for the operator when the key file is missing, readable by
 * others, damaged, inside the database's folder, or not the one that this database was sealed with.
 * Long: the table of what the vault does, each a few lines over the same keys.
 */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { database, clock, random, log, challengeWindowMs: windowMs = DEFAULT_WINDOW_MS } = options;
  folderCreate(options.dataDir, 0o755);
  const file = options.keyFile ?? path.join(options.dataDir, KEY_FILE);
  const sadFolder = path.join(options.dataDir, SAD_FOLDER);
  const ring = await openKeyring({
    file,
    dataDir: options.dataDir,
    apart: [sadFolder],
    database,
    clock,
    random,
    log,
    allowCreate: options.allowCreate,
  });
  const sad = sadKeys(sadFolder, { clock, random, windowMs });
  const readCard = cardReader(database);
  const derived = new Map<string, Buffer>();
  const rotation = createRotation({ file, ring, database, clock, random, log });
  await rotation.activateKey();
  const fingerprint = (pan: Pan): string => hmac(ring.keys.fingerprint, pan.reveal()).toString('hex');

  const keyed = (purpose: string, data: Buffer | string): Buffer => {
    let key = derived.get(purpose);
    if (!key) derived.set(purpose, (key = derive(ring.keys.master, purpose)));
    return hmac(key, data);
  };

  const sealer = (): Sealer => {
    const { key, id: keyId } = ring.active();
    return (owner, id, card, { now, chance }) => {
      const noise = chance.bytes(56);
      const dataKey = noise.subarray(0, 32);
      const row: CardRow = {
        owner_id: owner,
        id,
        key_id: keyId,
        wrapped_key: encrypt(key, noise.subarray(32, 44), dataKey, keyBinding(owner, id, keyId)),
        sealed: encrypt(dataKey, noise.subarray(44), packCard(card), cardBinding(owner, id)),
        fingerprint: fingerprint(card.pan),
        created_at: now,
      };
      dataKey.fill(0);
      return { change: cardInsert(row), fingerprint: row.fingerprint };
    };
  };

  return {
    ids: ring.keys.ids,
    keysBesideData: ring.besideData,
    cardVerification: cardVerification(keyed),
    keyed,
    fingerprint,
    ...rotation,
    seal: (owner, id, card) => sealer()(owner, id, card, { now: clock.now(), chance: random }),
    sealer,
    async open(owner, id) {
      // A row read just before its key was retired is read again: it stands under the active one by then.
      for (let tries = 1; ; tries++) {
        const row = await readCard(owner, id);
        if (!row) return null;
        const kek = ring.find(row.key_id);
        if (kek) return openRow(row, kek);
        if (tries > 1)
          throw new VaultError(`${row.key_id} is not in the key file: copy it from the machine that rotated the keys`);
      }
    },
    sealCvv(owner, id, cvv, until) {
      const { id: keyId, key, endsAt } = sad.current();
      const sealed = encrypt(key, random.bytes(12), cvv, cvvBinding(owner, id, keyId));
      return cvvInsert({ owner_id: owner, id, key_id: keyId, sealed, until: until < endsAt ? until : endsAt });
    },
    async openCvv(owner, id) {
      const row = await cvvGet(database, owner, id);
      if (!row || row.until <= clock.now()) return null;
      const key = sad.find(row.key_id);
      if (!key) return null;
      const cvv = decrypt(key, row.sealed, cvvBinding(owner, id, row.key_id));
      key.fill(0);
      assert(cvv, 'a CVV does not open under its key');
      return cvv.toString();
    },
    dropCvv: cvvRemove,
    async destroyExpiredKeys(now) {
      await cvvsDeleteUntil(database, now);
      return sad.destroyEnded(now);
    },
    overdueCvvs: (now) => cvvsOverdue(database, now),
  };
}

const packCard = ({ pan, expiry, holder }: SealedCard): string => JSON.stringify([pan.reveal(), expiry, holder]);

function openRow(row: CardRow, kek: Kek): SealedCard {
  const dataKey = decrypt(kek.key, row.wrapped_key, keyBinding(row.owner_id, row.id, row.key_id));
  assert(dataKey, 'the key of a card does not open: its row was changed');
  const plain = decrypt(dataKey, row.sealed, cardBinding(row.owner_id, row.id));
  assert(plain, 'a card does not open: its row was changed');
  const [digits, expiry, holder] = JSON.parse(plain.toString()) as [string, string, string | null];
  const pan = Pan.parse(digits);
  assert(pan, 'a card in the vault is no card number');
  return { pan, expiry, holder };
}
