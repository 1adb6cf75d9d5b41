import { answer, openFaultServer } from '../../test/net/fault-server.ts'
import { json } from '../../test/net/misbehaviour.ts'
import { faultRows } from './fault-rows.ts'

// A server in a process of its own that commits the fault whose number is in the path, and gives the right answer at `sound`.
const { mirror } = openFaultServer({
  ...Object.fromEntries(faultRows.map(({ misbehave }, i) => [`row_${i}`, misbehave])),
  sound: answer('{"value":1}', 200, json),
})
console.log(mirror)
