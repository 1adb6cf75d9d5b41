import { test } from 'bun:test'
import { accessContract } from './contract-access.ts'
import { auditContract } from './contract-audit.ts'
import { billedCallContract } from './contract-billed-calls.ts'
import type { ContractCase, ContractStore } from './contract-case.ts'
import { clientContract } from './contract-clients.ts'
import { grantContract } from './contract-grants.ts'
import { nodeContract } from './contract-nodes.ts'
import { limitContract } from './contract-limits.ts'
import { peopleContract } from './contract-people.ts'
import { pinContract } from './contract-pins.ts'
import { runQueueContract } from './contract-run-queue.ts'
import { runSliceContract } from './contract-run-slices.ts'
import { runContract } from './contract-runs.ts'
import { submissionContract } from './contract-submissions.ts'
import { artifactContract } from './contract-artifacts.ts'
import { shareContract } from './contract-shares.ts'

/** Two stores that share one new database, as two processes do. */
export type OpenedStores = { stores: readonly [ContractStore, ContractStore]; close(): Promise<void> }

/** All that a store promises. */
const storeContract: readonly ContractCase[] = [
  ...accessContract,
  ...peopleContract,
  ...grantContract,
  ...clientContract,
  ...limitContract,
  ...auditContract,
  ...shareContract,
  ...submissionContract,
  ...runContract,
  ...runQueueContract,
  ...runSliceContract,
  ...artifactContract,
  ...pinContract,
  ...nodeContract,
  ...billedCallContract,
]

/** Adds a test for each sentence of the contract. */
export function testContract(openStores: () => Promise<OpenedStores>): void {
  for (const { name, check } of storeContract) test(name, () => checkOn(openStores, check))
}

/**
 * Returns the error of the sentence of the contract that contains a text; null if the stores keep it.
 */
export async function findBreach(openStores: () => Promise<OpenedStores>, text: string): Promise<unknown> {
  const [found, ...others] = storeContract.filter(({ name }) => name.includes(text))
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} sentences contain: ${text}`)
  return checkOn(openStores, found.check).then(
    () => null,
    (error: unknown) => error,
  )
}

async function checkOn(openStores: () => Promise<OpenedStores>, check: ContractCase['check']): Promise<void> {
  const { stores, close } = await openStores()
  try {
    await check(...stores)
  } finally {
    await close()
  }
}
