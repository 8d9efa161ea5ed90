// vault: the only room that stores or opens a card number. Owns vault_cards, vault_cvvs, vault_keys and the key files beside the
// database; imports base and store. Rule: keys live in files, ciphertexts in the database, and neither is of use alone.
export type { CardVerification } from './card-verification.ts';
export { VaultError } from './errors.ts';
export {
  KEY_FILE,
  openVault,
  type Sealed,
  type SealedCard,
  type Sealer,
  type Vault,
  type VaultOptions,
} from './vault.ts';
