const marks: readonly (readonly [found: RegExp, instead: string])[] = [
  // user:password@ in an address.
  [/(?<=\/\/)[^\s/@]+@/g, '…@'],
  // A Telegram bot's token, in a path or by itself.
  [/\d{5,}:[\w-]{20,}/g, '…'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 …'],
  // What stands behind ? in an address is where keys are put.
  [/(?<=\bhttps?:\/\/[^\s?]{1,500}\?)[^\s"')]+/g, '…'],
  // A person's phone number, with what people put between its digits, or their number at a provider. Within a longer word it is an id.
  [/(?<!\w)\+?\d(?:[\s()-]{0,2}\d){6,}(?!\w)/g, '…'],
]

const longest = 4000

/** A text that Dale did not write, such as a library's error, without what must not be kept: tokens, passwords, numbers of people. */
export const scrub = (text: string): string =>
  marks.reduce((scrubbed, [found, instead]) => scrubbed.replace(found, instead), text.slice(0, longest))
