/** A node: a server process that uses the state. `started_at` is milliseconds since 1970 by its own clock. */
export type RunningNode = { id: string; host: string; pid: number; version: string; started_at: number }

/** A node as the database knows it. */
export type StoredNode = RunningNode & {
  /** Seconds since its last heartbeat, by the clock of the database. */
  last_seen_s: number
  /** Its unfinished runs: those that its worker has taken and that no other worker has taken over. */
  runs: number
  /** How many of these runs no other node may take over now. */
  leases: number
  /** How often tokens were revoked since its last heartbeat. */
  revocations_behind: number
}

/** The nodes of the state. A node without a heartbeat for five minutes is deleted. */
export type NodeStore = {
  /** Records a heartbeat of a node, and deletes the nodes without one. */
  refresh(node: RunningNode): Promise<void>
  /** Returns the nodes in the order of their start. */
  list(): Promise<StoredNode[]>
  /** Deletes a node that stops. */
  remove(id: string): Promise<void>
}

/** A node without a heartbeat for this long is deleted. */
export const nodeTtl_ms = 5 * 60_000
