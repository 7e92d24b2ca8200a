/**
 * A value as JSON that SQL can look into: PostgreSQL reads no member of a document that holds a NUL or half a surrogate pair anywhere, so
 * these are kept as U+FFFD. What is hashed and run, the arguments, is text and stays as it is.
 */
export function readableJson(value: unknown): string {
  const written = JSON.stringify(value)
  // JSON.stringify writes a pair as it is, and an escape only for a half. After an even number of backslashes: an odd one more would make
  // it a text that spells an escape.
  return /\\u(?:0000|d[89a-f])/.test(written)
    ? written.replace(/(?<=(?<!\\)(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, String.raw`\ufffd`)
    : written
}
