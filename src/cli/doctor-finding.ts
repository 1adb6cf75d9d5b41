/** What the doctor found about one thing: a sentence that says what is so and, where it is not good, what to do. `unusable`: the service does not start with it. */
export type DoctorFinding = { check: string; status: 'pass' | 'warn' | 'fail'; message: string }

export const passFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'pass', message })
export const warnFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'warn', message })
export const failFinding = (check: string, message: string): DoctorFinding => ({ check, status: 'fail', message })
