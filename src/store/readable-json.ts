/**
 * A value as JSON that SQL can look into: PostgreSQL reads no member of a document that holds a NUL anywhere, so one is kept as U+FFFD.
 * What is hashed and run, the arguments, is text and stays as it is.
 */
export function readableJson(value: unknown): string {
  const written = JSON.stringify(value)
  // After an even number of backslashes: an odd one more would make it the text "\u0000".
  return written.includes(String.raw`\u0000`) ? written.replace(/(?<=(?<!\\)(?:\\\\)*)\\u0000/g, String.raw`\ufffd`) : written
}
