// How an API writes. Types only.
import type { TSchema } from 'typebox';

/** How an API writes names, times and what isn't there. */
export interface Style {
  readonly name: (words: string) => string;
  readonly created: string;
  readonly updated: string;
  readonly time: TSchema;
  /** Titles of the schemas are one in all of the description. */
  readonly title: (noun: string) => string;
  readonly nulls: boolean;
}
