import { corruption } from './storage-corruption.ts'
import { disk } from './storage-disk.ts'
import type { Finding } from './finding.ts'
import { interruptions } from './storage-interruptions.ts'
import { held } from './storage-held.ts'
import { copies } from './storage-copies.ts'

/** Tests the promises about the data folder: P30 to P38. */
export async function storage(): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const part of [disk, corruption, interruptions, held, copies]) findings.push(...(await part()))
  return findings
}
