import { respondWith, openFaultServer } from '../../test/net/fault-server.ts'
import { jsonHeaders } from '../../test/net/faulty-responses.ts'
import { faultRows } from './fault-rows.ts'

// A server in a process of its own that commits the fault whose number is in the path, and gives the right answer at `sound`.
const { mirror } = openFaultServer({
  ...Object.fromEntries(faultRows.map(({ misbehave }, i) => [`row_${i}`, misbehave])),
  sound: respondWith('{"value":1}', 200, jsonHeaders),
})
console.log(mirror)
