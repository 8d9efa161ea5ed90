// rules: spend rules and the windows in which spending is counted. Owns spend_counters. Pure but for its queries.
export * from './model.ts';
