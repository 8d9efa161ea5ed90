// rates: how often somebody may ask. Owns rate_buckets.
// Rule: a limit holds over all servers of a database, and no request waits for the database that one before it has asked.

export { type Buckets, bucketsIn, type SharedOptions, sharedRateLimiter } from './all-servers.ts';
export { type Rate, type RateLimiter, type Taken, tooMany } from './bucket.ts';
export { rateLimiter } from './memory.ts';
export { purgeRates } from './queries.ts';
