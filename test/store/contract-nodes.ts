import { expect } from 'bun:test'
import type { RunningNode } from '../../src/store/nodes.ts'
import { addAccounts, addRun, addToken, now, type ContractCase } from './contract-case.ts'

/** Returns a node whose host has a name made from its id. */
export const newNode = (id: string, changes: Partial<RunningNode> = {}): RunningNode => ({
  id,
  host: `host of ${id}`,
  pid: 7,
  version: '1.2.3',
  started_at: now,
  ...changes,
})

/** The contract of NodeStore. */
export const nodeContract: ContractCase[] = [
  {
    name: 'nodes are listed in the order of their start, until they stop',
    async check(first, { nodes }) {
      await first.nodes.refresh(newNode('b', { started_at: now + 1 }))
      await nodes.refresh(newNode('a', { version: '1.2.2' }))
      // A refresh changes what is known of the node.
      await nodes.refresh(newNode('a'))
      const idle = { last_seen_s: expect.any(Number), runs: 0, leases: 0, revocations_behind: 0 }
      const listed = await nodes.list()
      expect(listed).toEqual([
        { ...newNode('a'), ...idle },
        { ...newNode('b', { started_at: now + 1 }), ...idle },
      ])
      for (const { last_seen_s } of listed) expect(last_seen_s).toBeWithin(0, 300)
      await first.nodes.remove('a')
      await first.nodes.remove('unknown')
      expect((await nodes.list()).map(({ id }) => id)).toEqual(['b'])
    },
  },
  {
    name: 'a node is listed with the unfinished runs that its workers have and no other worker has taken since',
    async check(first, { nodes, runQueue }) {
      for (const id of ['a', 'b']) await nodes.refresh(newNode(id))
      const numbers: number[] = []
      for (const id of ['run_1', 'run_2', 'run_3']) numbers.push((await addRun(first, id, 1)).number)
      const [writer, other] = [await runQueue.beginEpoch(now, 'a'), await runQueue.beginEpoch(now, 'b')]
      for (const number of numbers) await writer.takeOver(number, now)
      await other.takeOver(numbers[1]!, now)
      const leasedRuns = async () => (await nodes.list()).map(({ id, runs, leases }) => [id, runs, leases])
      expect(await leasedRuns()).toEqual([
        ['a', 2, 2],
        ['b', 1, 1],
      ])
      await writer.finish(numbers[0]!, 'cancelled', now, null)
      await other.releaseLease(numbers[1]!, [])
      expect(await leasedRuns()).toEqual([
        ['a', 1, 1],
        ['b', 0, 0],
      ])
    },
  },
  {
    name: 'a node is behind by the revocations since its last refresh',
    async check(first, { nodes, access }) {
      await addAccounts(first, 'ada')
      const ids = [await addToken(first, 'first'), await addToken(first, 'second')]
      await nodes.refresh(newNode('a'))
      for (const id of ids) await access.revokeToken('ada', id, now)
      await nodes.refresh(newNode('b'))
      expect((await nodes.list()).map(({ id, revocations_behind: behind }) => [id, behind])).toEqual([
        ['a', 2],
        ['b', 0],
      ])
    },
  },
]
