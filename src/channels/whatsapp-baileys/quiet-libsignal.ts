const methods = ['debug', 'error', 'info', 'log', 'warn'] as const

const silenced = new Set<string>()

/** The file that called a console method, as the stack has it: below this module's own frame. */
function isFrom(stack: string | undefined, folder: string): boolean {
  return stack?.split('\n')[2]?.includes(folder) ?? false
}

/**
 * Drops what code under `folder` writes to the console, and nothing else. libsignal prints whole sessions there, private keys included
 * (`libsignal/src/session_record.js`: "Closing session:", "Opening session:"). Repeatable.
 */
export function quiet(folder: string): void {
  if (silenced.has(folder)) return
  silenced.add(folder)
  for (const method of methods) {
    const print = console[method].bind(console)
    console[method] = (...args: unknown[]) => {
      if (!isFrom(new Error('').stack, folder)) print(...args)
    }
  }
}
