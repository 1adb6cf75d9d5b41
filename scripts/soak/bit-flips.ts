import { randomOf } from '../bench/random.ts'
import { flipBits, flipSubjects } from '../../test/store/bit-flips.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const flips = 50

/** Flips bits of the files of a data folder, of packs and of caches: nothing that is read may have another value. */
export async function soakBitFlips(): Promise<Finding[]> {
  const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
  const findings: Finding[] = []
  for (const [name, subject] of Object.entries(flipSubjects)) {
    const { right, refused, wrong } = await flipBits(subject, flips, randomOf(seed))
    for (const line of wrong) console.error(line)
    const figure = `flipped bits in ${name}, seed ${seed}`
    findings.push(atMost('P32', `${figure}: wrong values of ${flips}`, wrong.length, 0))
    findings.push(atLeast('P32', `${figure}: noticed, or without an effect (${right})`, right + refused, flips))
  }
  return findings
}
