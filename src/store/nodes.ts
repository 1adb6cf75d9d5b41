/** A node: a server process that uses the state. `started_at` is milliseconds since 1970 by its own clock. */
export type RunningNode = { id: string; host: string; pid: number; version: string; started_at: number }

/** A node as the database knows it. */
export type StoredNode = RunningNode & {
  /** Seconds since its last sign of life, by the clock of the database. */
  last_seen_s: number
  /** Its unfinished runs: those that its worker has taken, and no other worker since. */
  runs: number
  /** How many of these runs no other node may take over now. */
  leases: number
  /** How often tokens were revoked since its last sign of life. */
  revocations_behind: number
}

/** The nodes of the state. One that gives no sign of life for five minutes is forgotten. */
export type NodeStore = {
  /** Records a sign of life of a node, and forgets the nodes without one. */
  refresh(node: RunningNode): Promise<void>
  /** The nodes in the order of their start. */
  list(): Promise<StoredNode[]>
  /** Forgets a node that stops. */
  remove(id: string): Promise<void>
}

/** After this long without a sign of life, a node is forgotten. */
export const nodeTtl_ms = 5 * 60_000
