import { post } from '../bench/load.ts'
import { randomOf } from '../bench/random.ts'
import { runOpenLoad } from './poisson-load.ts'
import { requestBodies, countGoodLocations, type LoadOptions, type LoadResult } from './load-generator.ts'

// A process that sends load to the service, so that the timers of the suite run on another thread. Its argument is the
// order as JSON.
const { url, path, asking, per_s, seconds, seed, token, first } = JSON.parse(process.argv[2]!) as LoadOptions
const at = new URL(url)
const outcome: LoadResult = { offered: 0, good: 0, refused: 0, other: 0, good_ms: [], refused_ms: [], statuses: {} }
outcome.offered = await runOpenLoad({
  url: at,
  per_s,
  seconds,
  random: randomOf(seed),
  request: (i) => post(at, path, requestBodies[asking](first + i), token),
  replied({ status, took_ms, body }) {
    outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
    const good = status === 200 ? countGoodLocations(body) : 0
    outcome.good += good
    if (good > 0) outcome.good_ms.push(took_ms)
    else if (status === 503 || (status === 200 && body.includes('"fetch_busy"'))) {
      outcome.refused++
      outcome.refused_ms.push(took_ms)
    } else outcome.other++
  },
})
console.log(JSON.stringify(outcome))
