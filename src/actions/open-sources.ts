import { ConfigError, type Problem } from '../core/errors.ts'
import type { Action } from '../ports/action.ts'
import type { ActionSource, OpenSource } from '../ports/action-source.ts'
import type { Log } from '../ports/log.ts'

/** Every action there is, and the sources that some of them come from. */
export interface OpenedSources extends AsyncDisposable {
  /** One and the same map for as long as it is open: what a source offers anew stands in it at once. */
  readonly actions: ReadonlyMap<string, Action>
  readonly sources: ReadonlyMap<string, OpenSource>
}

/**
 * Opens every source and puts its actions beside the others. Throws `ConfigError` with every problem, and leaves nothing open then. An
 * action that appears later under a name that is taken is left out, and that is logged.
 */
export async function openSources(
  known: readonly Action[],
  sources: readonly ActionSource[],
  { log }: { readonly log: Log },
): Promise<OpenedSources> {
  const actions = new Map(known.map((action) => [action.name, action]))
  const opened = new Map<string, OpenSource>()
  const close = async () => void (await Promise.all([...opened.values()].map((one) => one[Symbol.asyncDispose]())))
  const owners = new WeakMap<Action, string>()
  const put = (source: string, open: OpenSource): readonly Problem[] => {
    const before = [...actions.values()].filter((action) => owners.get(action) === source)
    for (const { name } of before) actions.delete(name)
    return open.actions().flatMap((action) => {
      if (actions.has(action.name)) return [{ path: `actions.${source}`, message: `there is another action ${action.name}` }]
      owners.set(action, source)
      actions.set(action.name, action)
      return []
    })
  }
  const tried = await Promise.allSettled(
    sources.map(async (source): Promise<void> => {
      const onChange = () => {
        const open = opened.get(source.source)
        if (open === undefined) return
        for (const { message } of put(source.source, open)) log.warn({ source: source.source, reason: message }, 'action_refused')
        log.info({ source: source.source }, 'actions_changed')
      }
      opened.set(source.source, await source.open({ log, onChange }))
    }),
  )
  const problems: Problem[] = []
  for (const [index, { source }] of sources.entries()) {
    const end = tried[index]
    const open = opened.get(source)
    if (open !== undefined) problems.push(...put(source, open))
    else if (end?.status === 'rejected' && end.reason instanceof ConfigError) problems.push(...end.reason.problems)
    else {
      await close()
      throw end?.status === 'rejected' ? end.reason : new Error(`${source} did not open`)
    }
  }
  if (problems.length > 0) {
    await close()
    throw new ConfigError(problems)
  }
  return { actions, sources: opened, [Symbol.asyncDispose]: close }
}
