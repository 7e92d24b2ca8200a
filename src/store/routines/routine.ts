/**
 * One function of schema `dale`, as it is put into the database with the laws. The statements on the way of every message live there
 * because a session plans them once and keeps the plan, on PostgreSQL and on PGlite, and behind a pooler too: planning `situation` each
 * time took seven times as long as running it. The generic plan is pinned: each of them goes by an index whatever the values. `stable`
 * for one that only reads.
 */
export const routine = (
  signature: string,
  returns: string,
  body: string,
  volatility: 'volatile' | 'stable' = 'volatile',
): string =>
  `create or replace function dale.${signature} returns ${returns} language plpgsql ${volatility} set plan_cache_mode = force_generic_plan as $$ ${body} $$`
