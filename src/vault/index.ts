// vault: the only room that stores or opens a card number. Owns vault_cards and vault_cvvs and the key files; may not import any
// room but base and store. Rule: what is sealed here is bound to its row, and a CVV's key is destroyed with its window.
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { type Clock, Pan, type Random } from '../base/index.ts';
import type { Change, Db } from '../store/index.ts';
import { decrypt, encrypt } from './envelope.ts';
import { openKeys } from './keys.ts';
import { cardGet, cardInsert, cardRewrap, cardsExist, cardsUnder, cvvGet, cvvInsert, cvvKeysInUse, cvvRemove, cvvsExpire, type VaultCard } from './queries.ts';
import { openSadKeys } from './sad-keys.ts';

export { KeyError } from './keys.ts';

export interface VaultedCard {
  readonly pan: Pan;
  /** YYMM. */
  readonly expiry: string;
  readonly holder: string | null;
}

export interface Vault {
  /** A row for the owner's card, to be committed with the order that uses it. */
  seal(owner: bigint, id: bigint, card: VaultedCard): { readonly change: Change; readonly fingerprint: string };
  /** null: no such card of this owner, or a row whose bytes belong elsewhere. */
  open(owner: bigint, id: bigint): Promise<VaultedCard | null>;
  /** Keyed hash of the number, for counting and comparing; hex. */
  fingerprint(pan: Pan): string;
  sealCvv(owner: bigint, orderId: bigint, cvv: string, until: Date): Change;
  openCvv(owner: bigint, orderId: bigint): Promise<string | null>;
  dropCvv(owner: bigint, orderId: bigint): Change;
  /** HMAC-SHA-256 under a key of its own for each purpose. */
  keyed(purpose: string, data: Buffer | string): Buffer;
  /** 16 bytes: the key of the id permutation. */
  readonly ids: Buffer;
  /** Deletes CVVs whose window is over and destroys the keys that seal nothing any more; the number of keys destroyed. */
  destroyExpiredKeys(now: Date): Promise<number>;
  /** Makes a new key-encrypting key the active one; the old ones go on reading until rewrap has retired them. */
  rotate(): string;
  /** Rewraps at most `limit` data keys of older keys; the number of rows that may be left. 0: every older key is retired. */
  rewrap(limit: number): Promise<number>;
}

export interface VaultOptions {
  readonly dataDir: string;
  readonly database: Db;
  readonly clock: Clock;
  readonly random: Random;
}

export async function openVault({ dataDir, database, clock, random }: VaultOptions): Promise<Vault> {
  const keys = openKeys(path.join(dataDir, 'florin.keys.json'), random, !(await cardsExist(database)));
  const sadKeys = openSadKeys(path.join(dataDir, 'sad-keys'), random);
  const cardBound = (owner: bigint, id: bigint, part: string): string => `vault_cards/${owner}/${id}/${part}`;
  const cvvBound = (owner: bigint, orderId: bigint): string => `vault_cvvs/${owner}/${orderId}`;
  const fingerprint = (pan: Pan): string => createHmac('sha256', keys.fingerprint).update(pan.reveal()).digest('hex');

  function dataKey(card: VaultCard): Buffer | null {
    const wrapping = keys.byId(card.key_id);
    return wrapping && decrypt(wrapping, card.wrapped_key, cardBound(card.project_id, card.id, card.key_id));
  }

  return {
    fingerprint,
    ids: keys.ids,
    keyed: (purpose, data) => createHmac('sha256', keys.derived(purpose)).update(data).digest(),
    seal(owner, id, card) {
      const { id: keyId, key } = keys.active;
      const data = random.bytes(32);
      const plain = Buffer.from(JSON.stringify([card.pan.reveal(), card.expiry, card.holder]));
      const mark = fingerprint(card.pan);
      return {
        fingerprint: mark,
        change: cardInsert({
          project_id: owner,
          id,
          key_id: keyId,
          wrapped_key: encrypt(key, data, cardBound(owner, id, keyId), random),
          ciphertext: encrypt(data, plain, cardBound(owner, id, 'card'), random),
          fingerprint: mark,
          created_at: clock.now(),
        }),
      };
    },
    async open(owner, id) {
      const card = await cardGet(database, owner, id);
      const key = card && dataKey(card);
      const plain = key && decrypt(key, card.ciphertext, cardBound(owner, id, 'card'));
      if (!plain) return null;
      const [digits, expiry, holder] = JSON.parse(plain.toString()) as [string, string, string | null];
      const pan = Pan.parse(digits);
      return pan && { pan, expiry, holder };
    },
    sealCvv(owner, orderId, cvv, until) {
      const { id, key } = sadKeys.at(clock.now());
      return cvvInsert({ project_id: owner, order_id: orderId, key_id: id, ciphertext: encrypt(key, Buffer.from(cvv), cvvBound(owner, orderId), random), until_at: until });
    },
    async openCvv(owner, orderId) {
      const row = await cvvGet(database, owner, orderId);
      const key = row && sadKeys.byId(row.key_id);
      return (key && decrypt(key, row.ciphertext, cvvBound(owner, orderId))?.toString()) ?? null;
    },
    dropCvv: cvvRemove,
    async destroyExpiredKeys(now) {
      await cvvsExpire(database, now);
      const used = await cvvKeysInUse(database);
      const over = sadKeys.ids().filter((id) => !used.has(id) && sadKeys.hourEnd(id) <= now);
      for (const id of over) sadKeys.destroy(id);
      return over.length;
    },
    rotate: () => keys.rotate(),
    async rewrap(limit) {
      let left = 0;
      for (const old of keys.retired) {
        const cards = await cardsUnder(database, old, limit);
        for (const card of cards) {
          const data = dataKey(card);
          const { id, key } = keys.active;
          if (data) await cardRewrap(database, card, id, encrypt(key, data, cardBound(card.project_id, card.id, id), random));
        }
        if (cards.length === 0) keys.retire(old);
        left += cards.length;
      }
      return left;
    },
  };
}
