// store: Postgres and nothing of the domain. Owns commit_groups; every other table belongs to the room whose queries.ts names it.
export * from './commit.ts';
export * from './once.ts';
export * from './table.ts';
export * from './page.ts';
