// How a project's payment page looks: colours, a logo, the order of the fields. Made by the operator, kept by the gateway; data only, no
// markup. Rule: every value is of a strict alphabet, because colours stand in a style sheet and the logo in an attribute.

export type FieldName = 'number' | 'expiry' | 'cvv' | 'holder';
export const FIELD_NAMES: readonly FieldName[] = ['number', 'expiry', 'cvv', 'holder'];

export interface PageTemplate {
  /** `#rrggbb`. Button and focus ring; its text is black or white, whichever can be read. */
  readonly brand: string;
  /** Behind the card. */
  readonly ground: string;
  readonly paper: string;
  readonly ink: string;
  /** `data:image/png;base64,…` (png, jpeg or webp), or none. */
  readonly logo: string | null;
  /** Each of the fields once. */
  readonly fields: readonly FieldName[];
  /** Corners in pixels, 0 to 24. */
  readonly radius: number;
}

export const DEFAULT_TEMPLATE: PageTemplate = {
  brand: '#0b6b57',
  ground: '#eef2f6',
  paper: '#ffffff',
  ink: '#16202c',
  logo: null,
  fields: FIELD_NAMES,
  radius: 14,
};
