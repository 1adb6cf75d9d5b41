/** The result of one check, with a remedy if it did not pass. With `fail`, the server does not start. */
export type DoctorFinding = { check: string; status: 'pass' | 'warn' | 'fail'; message: string }

export const passFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'pass', message })
export const warnFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'warn', message })
export const failFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'fail', message })
