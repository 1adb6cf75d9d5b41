import { inspectNodes } from '../../app-database.ts'
import type { Config } from '../../config.ts'
import { formatTimestamp } from '../../model/text.ts'
import type { StoredNode } from '../../store/nodes.ts'
import { alignColumns } from '../question/answer-table.ts'
import { requireStoredState } from './writable-state.ts'
import { exitCodes } from '../exit-codes.ts'

/** `fieldstone nodes`: lists the server processes that use the same state. */
export async function nodesCommand(
  config: Pick<Config, 'data' | 'database'>,
  { json, print }: { json: boolean; print(line: string): void },
): Promise<number> {
  if (config.database === null) requireStoredState(config.data)
  const nodes = await inspectNodes(config)
  if (json) print(JSON.stringify({ nodes: nodes.map(nodeDocument) }))
  else if (nodes.length === 0) print(`No server uses ${config.database?.address ?? config.data}.`)
  else alignColumns([columns, ...nodes.map(nodeCells)]).forEach(print)
  return exitCodes.ok
}

const columns = ['node', 'host', 'pid', 'version', 'started', 'last seen', 'runs', 'leases', 'revocations behind']

function nodeDocument({ started_at, ...node }: StoredNode) {
  return { ...node, started_at: formatTimestamp(started_at) }
}

function nodeCells(node: StoredNode): string[] {
  const { id, host, pid, version, started_at, last_seen_s, runs, leases, revocations_behind } = node
  const counts = [runs, leases, revocations_behind].map(String)
  return [id, host, String(pid), version, formatTimestamp(started_at), `${Math.round(last_seen_s)} s ago`, ...counts]
}
