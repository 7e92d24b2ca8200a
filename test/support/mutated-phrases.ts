/** A stream of numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

// Cyrillic, Greek, Armenian, Cherokee, phonetic, full-width, mathematical, dotless, long and ligature letters that look like Latin ones.
const alike: Readonly<Record<string, string>> = {
  a: 'аαａ𝐚ªáãāɑ⍺Ꭺꓮ',
  b: 'ЬｂВᏏꓐƄ',
  c: 'сϲｃçⅽᏟꓚ⊂',
  d: 'ԁｄđⅾᎠꓓ',
  e: 'еｅéê℮ҽЕΕᎬꓰ',
  f: 'ﬁｆ',
  g: 'ɡｇցᏀ',
  h: 'һｈհНΗᏂ',
  i: 'іιｉıİíìⅰɩӏІΙᎥӀ',
  k: 'KкｋΚⲔᏦꓗ',
  l: 'ⅼｌ1łⵏІΙ|ǀӀ',
  m: 'ｍмⅿМΜᎷꓟ',
  n: 'ոñｎηռΝꓠ',
  o: 'оοｏºóõø0օОΟ𐐄०〇',
  p: 'рρｐРΡᏢꓑ',
  q: 'ԛգզ',
  r: 'ｒгᎱꓣᴦ',
  s: 'ѕſｓśßꜱЅᏚꓢ',
  t: 'тｔτТΤᎢꓔ',
  u: 'υｕúüսᴜ𐓶',
  v: 'ѵνｖⅴᏙꓦ',
  w: 'ԝѡԝᎳꓪ',
  x: 'хχⅹХΧꓫ',
  y: 'уｙʏγΥꓬ',
  z: 'ｚžᴢΖᏃꓜ',
}
/** Every letter that folds to a Latin one though it is none: full-width, circled, squared, mathematical, superscript, with any mark. */
const foldsTo = new Map<string, string[]>()
for (let point = 0x80; point < 0x20000; point += 1) {
  const character = String.fromCodePoint(point)
  const bare = character
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
  if (/^[a-z0-9#]$/.test(bare)) foldsTo.set(bare, [...(foldsTo.get(bare) ?? []), character])
}
const marks = ['\u0301', '\u0303', '\u0307', '\u0327', '\u20e3', '\u0345', '\u0901', '\u302e', '\ufe0f', '\u0338']
const invisible = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u202e',
  '\u2066',
  '\u180e',
  '\u034f',
  '\u{e0061}',
  '\u115f',
  '\u3164',
]
const spaces = [' ', '  ', '\t', '\u00a0', '\u2003', '\u3000', '\u202f', '\u1680', ' \u200b ']
const breaks = ['\n', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029', ' \n ']
const signs = [
  '.',
  '!',
  '!!',
  '!!!',
  '!!!!',
  '..',
  '…',
  '?',
  '¿',
  '¡',
  '¡¡',
  '¡ ',
  ',',
  ', ',
  ' ,',
  ';',
  '"',
  '*',
  '_',
  '(',
  ')',
  '¨',
  '´',
  '‼',
  '！',
  '．',
  '，',
  '？',
  '#',
  '-',
  '\0',
  '\u007f',
  '\ud83d',
  '\udc4d',
  '👍',
  '🏽',
  '👍🏽',
]
const codes = [
  '#K7Q2',
  '#k7q2',
  '#4512',
  '#ABCD',
  '#I7Q2',
  '#K7Q',
  '#K7Q22',
  '＃Ｋ７Ｑ２',
  '#\u{1d40a}7Q2',
  '#K7q2',
  '# K7Q2',
  '#Ķ7Q2',
  '#ß7Q2',
  '#7ﬀ2',
]

/** What texts are made of. */
interface Material {
  readonly phrases: readonly string[]
  readonly always: readonly string[]
  /** What people write that decides nothing. */
  readonly sentences: readonly string[]
}

/**
 * Makes texts that are almost decisions: phrases, joined with each other, always phrases and codes, and sentences, then spoilt a little or
 * not at all.
 */
export function mutantsOf({ phrases, always, sentences }: Material, random: () => number): () => string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const insert = (text: string, what: string, at = Math.floor(random() * (text.length + 1))) =>
    text.slice(0, at) + what + text.slice(at)
  /** Any code point, of the first planes more often than of the last, and half a surrogate pair now and then. */
  const anything = (): string => String.fromCodePoint(Math.floor(random() * pick([0x80, 0x3000, 0x10000, 0x20000, 0x110000])))
  const spoil = (text: string): string => {
    const at = Math.floor(random() * text.length)
    switch (Math.floor(random() * 14)) {
      case 0:
        return text.toUpperCase()
      case 1: {
        const likes = alike[text[at]?.toLowerCase() ?? '']
        return likes === undefined ? text : text.slice(0, at) + pick([...likes]) + text.slice(at + 1)
      }
      case 2:
        return insert(text, pick(marks))
      case 3:
        return insert(text, pick(invisible))
      case 4:
        return text.replace(' ', pick(spaces))
      case 5:
        return insert(text, pick(spaces), pick([0, text.length, at]))
      case 6:
        return insert(text, pick(breaks), pick([0, 0, text.length, text.length, at]))
      case 7:
        return text + pick(signs)
      case 8:
        return insert(text, pick(signs), pick([0, at]))
      case 9:
        return text.slice(0, at) + text.slice(at + 1)
      case 10:
        return text.normalize(pick(['NFD', 'NFKD']))
      case 11: {
        const likes = foldsTo.get(text[at]?.toLowerCase() ?? '')
        return likes === undefined ? text : text.slice(0, at) + pick(likes) + text.slice(at + 1)
      }
      case 12:
        return insert(text, anything(), pick([0, text.length, at]))
      default:
        return text.replace(' ', ', ')
    }
  }
  return () => {
    let text = pick(phrases)
    const shape = random()
    if (shape < 0.15) text = `${text} ${pick(always)}`
    else if (shape < 0.2) text = `${text} ${pick(phrases)}`
    else if (shape < 0.22) text = pick(codes)
    else if (shape < 0.245) text = pick(sentences)
    else if (shape < 0.25) text = text.padEnd(300 * random(), pick([...invisible, ...spaces, 'x']))
    if (random() < 0.2) text = `${text} ${pick(codes)}`
    for (let times = Math.floor(random() * 3.2); times > 0; times--) text = spoil(text)
    return text
  }
}
