const listed = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(', ')))

/** Words that stand alone in a chat every day and agree to nothing, folded: an approval by one of them is mostly a mistake. */
export const commonWords: ReadonlySet<string> = listed(
  'que, como, donde, cuando, cuanto, quien, cual, aca, aqui, alli, hoy, manana, ayer, ahora, despues, luego, nada, algo, todo, claro',
  'perfecto, exacto, asi, tambien, ya, entiendo, ver, quiero, puedo, tengo, espera, momento, seguro, genial, bueno, joya, buenisimo',
  'onde, quando, quanto, quem, qual, aqui, ali, hoje, amanha, ontem, agora, depois, logo, nada, algo, tudo, certo, perfeito, exato, assim',
  'tambem, entendi, quero, posso, tenho, espera, seguro, otimo, legal, show, blz, joia',
  'what, where, when, who, how, why, here, there, today, tomorrow, now, later, nothing, something, all, right, perfect, exactly, sure, fine',
  'also, i see, got it, want, can, wait, a moment, great, alright, maybe',
)
