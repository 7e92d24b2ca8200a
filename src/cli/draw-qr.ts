import { styleText } from 'node:util'
import { renderUnicodeCompact } from 'uqr'

/** A QR code for a terminal, two rows of it a line; light on dark whatever the terminal's own colours are, so that cameras read it. */
export const drawQr = (text: string): readonly string[] =>
  renderUnicodeCompact(text, { ecc: 'L', border: 2 })
    .split('\n')
    .map((line) => styleText(['whiteBright', 'bgBlack'], line, { stream: process.stdout }))
