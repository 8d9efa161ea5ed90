// card_mobiles: whose a mobile number is, in programmes that want them unique. Two processes at once: the key decides.
import { type Change, follow, insert, type Kind, lookup, type Need, oneOwner, table } from '../../store/index.ts';

interface CardMobile {
  readonly tenant_id: bigint;
  readonly programme_id: bigint;
  readonly mobile: string;
  readonly identity_id: bigint;
}

const cardMobiles = table<CardMobile>(
  'card_mobiles',
  { tenant_id: 'int8', programme_id: 'int8', mobile: 'text', identity_id: 'int8' },
  ['tenant_id', 'programme_id', 'mobile'],
);

export type MobileKey = Omit<CardMobile, 'identity_id'>;
const keyText = ({ tenant_id, programme_id, mobile }: MobileKey): string => `${tenant_id}/${programme_id}/${mobile}`;

const BY_MOBILE = lookup(cardMobiles, { by: ['programme_id', 'mobile'], locked: true });

/** The identity that has a number; missing: nobody. */
export const mobileKind: Kind<MobileKey, bigint> = {
  name: 'card_mobile',
  keyText,
  follows: [follow(cardMobiles, keyText, (_before, row) => row.identity_id)],
  async load(db, keys) {
    const rows = await db.query<CardMobile>(BY_MOBILE, [
      keys.map((key) => key.programme_id),
      keys.map((key) => key.mobile),
      oneOwner(keys.map((key) => key.tenant_id)),
    ]);
    return new Map(rows.map((row) => [keyText(row), row.identity_id]));
  },
};
export const needMobile = (key: MobileKey): Need => ({ kind: mobileKind, key });
export const mobileInsert = (key: MobileKey, identityId: bigint): Change =>
  insert(cardMobiles, { ...key, identity_id: identityId });
