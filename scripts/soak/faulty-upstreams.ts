import { respondWith, openFaultServer } from '../../test/net/fault-server.ts'
import { jsonHeaders } from '../../test/net/faulty-responses.ts'
import { faultRows } from './fault-rows.ts'

// A server process. The number in the path selects the faulty response; `sound` returns a valid answer.
const { mirror } = openFaultServer({
  ...Object.fromEntries(faultRows.map(({ misbehave }, i) => [`row_${i}`, misbehave])),
  sound: respondWith('{"value":1}', 200, jsonHeaders),
})
console.log(mirror)
