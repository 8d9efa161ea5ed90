// base: the pure vocabulary of every room. Owns no table, imports nothing of ours.
// Rule: it is the only door to time, chance and the log.
export * from './address.ts';
export * from './assert.ts';
export * from './clock.ts';
export * from './fingerprint.ts';
export * from './id.ts';
export * from './iso/index.ts';
export * from './json.ts';
export * from './log.ts';
export * from './money.ts';
export * from './pan.ts';
export * from './random.ts';
export * from './refusal.ts';
export * from './state-machine.ts';
export * from './turns/index.ts';
export * from './variety.ts';
