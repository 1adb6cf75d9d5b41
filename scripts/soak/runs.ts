import { killed } from '../../test/runs/kills.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { beside } from './runs-beside.ts'
import { powerAndCalls } from './runs-power.ts'
import { restarting } from './runs-restart.ts'
import { volume } from './runs-volume.ts'

const kills = 200
const locations = 12

/** What is promised of runs, on the real process: FIELDSTONE_EXECUTABLE names it, else it is the source. */
export async function runs(): Promise<Finding[]> {
  return [...(await volume()), ...(await beside()), ...(await restarting()), ...(await randomKills()), ...(await powerAndCalls())]
}

async function randomKills(): Promise<Finding[]> {
  const seed = Math.floor(Math.random() * 1e9)
  console.error(`${kills} kills at random moments, seed ${seed}`)
  const result = await killed({ kills, seed, locations })
  return [
    atLeast('P1', 'kills at random moments', result.kills, kills),
    atMost('P1', `acknowledged runs lost, of ${result.acknowledged}`, result.lost, 0),
    atMost('P2, P4', 'locations with two entries, and keys with two runs', result.doubled, 0),
    atMost('P2', 'committed locations that were asked again', result.askedAgain, 0),
    atMost('P2', 'calls beyond one a location', result.extraCalls, result.recovered),
    // What is in work at ten kills is held to be what kills; so many in so short lives are rare.
    atMost('P8', `locations of ${kills * locations} that were taken for poisoned, though it was the process that was killed`, result.givenUp, kills * locations / 100),
  ]
}
