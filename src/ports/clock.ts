/** The database's clock, in milliseconds since 1970: the only clock that deadlines and leases go by. */
export interface Clock {
  now(): Promise<number>
}
