// What keeps the vault shut. Each is for the operator: one sentence that says what is wrong and what to do.

/** The installation's keys are not as they must be. Never caused by a request. */
export class VaultError extends Error {
  override name = 'VaultError';
}
