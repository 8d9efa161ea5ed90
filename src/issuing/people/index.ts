// people: identities, users and factors as their own users see and change them. Owns no table: rows are the tenants room's.
export { peopleEndpoints } from './routes.ts';
