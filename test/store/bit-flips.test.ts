import { expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { flipBits, flipSubjects } from './bit-flips.ts'

const [seed, flips] = [38, 6]

test.each(Object.entries(flipSubjects))(
  `of ${flips} bits that flip on the disk in %s, none gives a wrong value (seed ${seed})`,
  async (_name, subject) => {
    const { right, refused, wrong } = await flipBits(subject, flips, randomOf(seed))
    expect(wrong).toEqual([])
    expect(right + refused).toBe(flips)
  },
)
