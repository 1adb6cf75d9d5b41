import { testCorruption } from './storage-corruption.ts'
import { testFullDisk } from './storage-disk.ts'
import type { Finding } from './finding.ts'
import { testInterruptions } from './storage-interruptions.ts'
import { testLockedDatabase } from './storage-locked.ts'
import { testBackups } from './storage-copies.ts'

/** Tests the promises about the data folder: P30 to P38. */
export async function soakStorage(): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const part of [testFullDisk, testCorruption, testInterruptions, testLockedDatabase, testBackups])
    findings.push(...(await part()))
  return findings
}
