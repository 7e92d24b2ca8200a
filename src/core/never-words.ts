const listed = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(', ')))

/**
 * Words that providers take as "write to me no more" (RULES 1.9): a person who sends one means the channel, not a card.
 * Folded. `cancel` is one too, but everybody means the card by it: it only warns.
 */
export const optOutWords: ReadonlySet<string> = listed(
  'stop, baja, salir, alto, detener, parar, pare, sair, descadastrar, unsubscribe, optout, end, quit',
)

/** The opt-out word that may still be a phrase, with a warning. */
export const doubtfulOptOutWord = 'cancel'

/** Greetings and fillers, folded: said without meaning anything, so never an approval, whatever a file says. */
export const smallTalk: ReadonlySet<string> = listed(
  'hola, buenas, buen dia, buenos dias, buenas tardes, buenas noches, que tal, gracias, muchas gracias, por favor',
  'bueno, bien, muy bien, aja, ah, eh, este, pues, entonces, a ver, mmm, jaja, che, chau, adios',
  'oi, ola, opa, bom dia, boa tarde, boa noite, tudo bem, tudo bom, obrigado, obrigada, valeu, por gentileza',
  'bom, bem, ta, ne, entao, tipo, hum, uhum, kkk, rsrs, tchau',
  'hello, hi, hey, good morning, good afternoon, good evening, good night, how are you, thanks, thank you, please',
  'well, so, hm, hmm, uh, uh huh, oh, lol, haha, nice, cool, great, bye',
)
