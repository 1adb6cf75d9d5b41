import { killed } from '../test/runs/kills.ts'

/** Kills the real process two hundred times and more, while runs are submitted and answered: `npm run soak [-- <kills> <seed>]`. */
const [kills = '200', seed = String(Math.floor(Math.random() * 1e9))] = process.argv.slice(2)
console.log(`${kills} kills, seed ${seed}`)
const result = await killed({ kills: Number(kills), seed: Number(seed), locations: 12 })
console.log(JSON.stringify(result, null, 2))
const isGood = result.lost === 0 && result.doubled === 0 && result.askedAgain === 0 && result.extraCalls <= result.recovered
console.log(isGood ? 'good' : 'NOT GOOD')
process.exitCode = isGood ? 0 : 1
