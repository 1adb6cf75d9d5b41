import { hostname } from 'node:os'
import { createIncidents } from './runs/report/incidents.ts'
import type { Log } from './log.ts'
import type { NodeStore } from './store/nodes.ts'

/** The nodes (server processes) that use the same state, and the heartbeat of this one. */
export type Nodes = Pick<NodeStore, 'list'> & {
  /** The id of this process. */
  readonly id: string
  /** Adds this process, and sends heartbeats until `stop`. A failure is logged once, and so is its end. */
  start(): Promise<void>
  /** Removes this process. If the database does not answer, the other nodes remove it after five minutes. */
  stop(): Promise<void>
}

type NodesDeps = {
  store: NodeStore
  /** The id, if the state is in a data folder: the number of the process. null: the node gets a random id. */
  id: string | null
  isShared: boolean
  version: string
  now: () => Date
  log: Log
}

/** How often a node sends a heartbeat. If no other process uses the state, it is only shown to people. */
const sharedHeartbeat_ms = 5000
const ownHeartbeat_ms = 60_000
const activity = 'heartbeat of this node'

/** Creates the list of nodes. `isShared`: other processes use the same state. `start` adds this process to it. */
export function createNodes({ store, id: givenId, isShared, version, now, log }: NodesDeps): Nodes {
  const id = givenId ?? crypto.randomUUID().slice(0, 8)
  const node = { id, host: hostname(), pid: process.pid, version, started_at: now().getTime() }
  const incidents = createIncidents({
    onStart: (_, error) => log.error('nodes', { activity, error }),
    onEnd: (_, { failures, seconds }) =>
      log.info('nodes', { activity, message: 'It works again.', failed: failures, seconds }),
  })
  let timer: ReturnType<typeof setInterval> | undefined
  let refreshing: Promise<void> = Promise.resolve()
  return {
    id,
    list: () => store.list(),
    start() {
      timer ??= setInterval(() => void refresh(), isShared ? sharedHeartbeat_ms : ownHeartbeat_ms).unref()
      return refresh()
    },
    async stop() {
      if (timer === undefined) return
      clearInterval(timer)
      await refreshing
      await store.remove(id).catch((error: unknown) => incidents.recordFailure(activity, error))
    },
  }

  function refresh(): Promise<void> {
    refreshing = store.refresh(node).then(
      () => incidents.recordRecovery(activity),
      (error: unknown) => incidents.recordFailure(activity, error),
    )
    return refreshing
  }
}
