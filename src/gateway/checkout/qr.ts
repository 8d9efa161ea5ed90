// An address as a picture that a telephone reads (QR code, ISO/IEC 18004), black on white.
// Rule: four light modules around it, or scanners don't find it (7.3.2, "quiet zone"); level M, so that print may be a little worn.
import { renderSVG } from 'uqr';

/** SVG without size of its own: it fills what it stands in. */
export const qrSvg = (text: string): string =>
  renderSVG(text, { ecc: 'M', border: 4, pixelSize: 8, blackColor: '#000', whiteColor: '#fff' }).replace(
    '<svg ',
    '<svg shape-rendering="crispEdges" ',
  );
