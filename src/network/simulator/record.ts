// The simulated acquirer's record: what it did for each reference, once, and what it says when it is asked again.
// Rule: a reference that is known is answered from its entry and never done a second time.
import type { Random } from '../../base/index.ts';
import { type Committer, insert } from '../../store/index.ts';
import { lookupBin } from '../bins.ts';
import { authCodeFrom, networkTransactionId, rrnOf } from '../identifiers.ts';
import type { IssuerHost, NetworkAnswer, NetworkRequest } from '../message.ts';
import { type Entry, entriesOfOrder, entryOfReference, simulatorTransactions } from '../queries.ts';
import { answerFrom, entryFor, entryFromIssuer } from './simulate.ts';

export interface SimulatorRecord {
  /** Does what is asked with this response code. */
  byCode(request: NetworkRequest, code: string): Promise<NetworkAnswer>;
  /** Asks our own issuer, and keeps what it says. */
  byIssuer(host: IssuerHost, request: NetworkRequest): Promise<NetworkAnswer>;
  /** Behind everything that this process sent before it. null: not heard of yet; what is sent again under its reference is done once. */
  look(owner: bigint, reference: string): Promise<NetworkAnswer | null>;
}

export function simulatorRecord(committer: Committer, random: Random): SimulatorRecord {
  /** The one write: a new reference gets its entry, a known one its old answer. */
  const record = (
    request: NetworkRequest,
    make: (book: readonly Entry[], now: Date) => Entry,
  ): Promise<NetworkAnswer> => {
    const order = { kind: entriesOfOrder, key: { owner: request.owner, orderId: request.orderId } };
    return committer.submit({
      name: `simulator.${request.operation}`,
      owner: request.owner,
      needs: [order],
      decide: (state, told) => {
        const book = state.get(order.kind, order.key) ?? [];
        const known = book.find((entry) => entry.reference === request.reference);
        if (known) return { value: answerFrom(known), changes: [] };
        const entry = make(book, told.now);
        return { value: answerFrom(entry), changes: [insert(simulatorTransactions, entry)] };
      },
    });
  };
  return {
    byCode(request, code) {
      const fresh = {
        authCode: authCodeFrom(random),
        rrn: rrnOf(request.transmittedAt, request.stan),
        networkTransactionId: networkTransactionId(lookupBin(request.pan).brand, request.transmittedAt, random),
      };
      return record(request, (book, now) => entryFor(request, book, code, fresh, now));
    },
    async byIssuer(host, request) {
      const answer = await host.handle(request);
      return record(request, (book, now) => entryFromIssuer(request, book, answer, now));
    },
    look: (owner, reference) =>
      committer.submit({
        name: 'simulator.inquire',
        owner,
        needs: [{ kind: entryOfReference, key: { owner, reference } }],
        decide: (state) => {
          const entry = state.get(entryOfReference, { owner, reference });
          return { value: entry ? answerFrom(entry) : null, changes: [] };
        },
      }),
  };
}
