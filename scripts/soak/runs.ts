import { runWithKills } from '../../test/runs/kills.ts'
import { poisonAt, runWithPoison } from '../../test/runs/poison.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { measureSlowdown } from './runs-slowdown.ts'
import { measureLargestRun, measureSubmissionMemory } from './runs-memory.ts'
import { testPowerLossAndKills } from './runs-power.ts'
import { measureRestart } from './runs-restart.ts'
import { measureLargeRuns } from './runs-volume.ts'

const kills = 200
const locations = 12
const locationsBesidePoison = 1000

/** Tests the promises about runs on the real process: the executable in FIELDSTONE_EXECUTABLE, or the source. */
export async function soakRuns(): Promise<Finding[]> {
  return [
    ...(await measureLargeRuns()),
    ...(await measureSubmissionMemory()),
    ...(await measureLargestRun()),
    ...(await measureSlowdown()),
    ...(await measureRestart()),
    ...(await randomKills()),
    ...(await poison()),
    ...(await testPowerLossAndKills()),
  ]
}

async function randomKills(): Promise<Finding[]> {
  const seed = Math.floor(Math.random() * 1e9)
  console.error(`${kills} kills at random moments, seed ${seed}`)
  const result = await runWithKills({ kills, seed, locations })
  return [
    atLeast('P1', 'kills at random moments', result.kills, kills),
    atMost('P1', `acknowledged runs lost, of ${result.acknowledged}`, result.lost, 0),
    atMost('P2, P4', 'duplicate entries of locations, and duplicate runs of keys', result.doubled, 0),
    atMost('P2', 'committed locations that were requested again', result.requestsAfterward, 0),
    atMost('P2', 'calls beyond one a location', result.extraCalls, result.recovered + result.hedgesMax),
    atMost('P8', `locations, of ${kills * locations}, wrongly taken for poisoned`, result.givenUp, 0),
  ]
}

async function poison(): Promise<Finding[]> {
  const { tries, failedIndexes, answered } = await runWithPoison(locationsBesidePoison)
  return [
    atMost('P8', 'attempts of a location that kills the process', tries, 3),
    atMost('P8', 'other locations that failed with it', failedIndexes.filter((index) => index !== poisonAt).length, 0),
    atLeast(
      'P8',
      `locations answered, of ${2 * locationsBesidePoison} with one that kills the process`,
      answered,
      2 * locationsBesidePoison - 1,
    ),
  ]
}
