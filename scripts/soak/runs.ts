import { killed } from '../../test/runs/kills.ts'
import { poisonAt, poisoned } from '../../test/runs/poison.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { beside } from './runs-beside.ts'
import { submissionsAtOnce } from './runs-memory.ts'
import { powerAndCalls } from './runs-power.ts'
import { restarting } from './runs-restart.ts'
import { volume } from './runs-volume.ts'

const kills = 200
const locations = 12
const locationsBesidePoison = 1000

/** What is promised of runs, on the real process: FIELDSTONE_EXECUTABLE names it, else it is the source. */
export async function runs(): Promise<Finding[]> {
  return [
    ...(await volume()),
    ...(await submissionsAtOnce()),
    ...(await beside()),
    ...(await restarting()),
    ...(await randomKills()),
    ...(await poison()),
    ...(await powerAndCalls()),
  ]
}

async function randomKills(): Promise<Finding[]> {
  const seed = Math.floor(Math.random() * 1e9)
  console.error(`${kills} kills at random moments, seed ${seed}`)
  const result = await killed({ kills, seed, locations })
  return [
    atLeast('P1', 'kills at random moments', result.kills, kills),
    atMost('P1', `acknowledged runs lost, of ${result.acknowledged}`, result.lost, 0),
    atMost('P2, P4', 'locations with two entries, and keys with two runs', result.doubled, 0),
    atMost('P2', 'committed locations that were asked again', result.requestsAfterward, 0),
    atMost('P2', 'calls beyond one a location', result.extraCalls, result.recovered),
    atMost(
      'P8',
      `locations of ${kills * locations} that were taken for poisoned, though it was the process that was killed`,
      result.givenUp,
      0,
    ),
  ]
}

async function poison(): Promise<Finding[]> {
  const { tries, givenUp, answered } = await poisoned(locationsBesidePoison)
  return [
    atMost('P8', 'tries of a location that kills the process', tries, 3),
    atMost('P8', 'locations given up beside it', givenUp.filter((index) => index !== poisonAt).length, 0),
    atLeast(
      'P8',
      `locations answered, of ${2 * locationsBesidePoison} of which one kills`,
      answered,
      2 * locationsBesidePoison - 1,
    ),
  ]
}
