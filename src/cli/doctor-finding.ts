/** What the doctor found about one thing: a sentence that says what is so and, where it is not good, what to do. `unusable`: the service does not start with it. */
export type Found = { check: string; status: 'good' | 'faulty' | 'unusable'; says: string }

export const good = (check: string, says: string): Found => ({ check, status: 'good', says })
export const faulty = (check: string, says: string): Found => ({ check, status: 'faulty', says })
export const unusable = (check: string, says: string): Found => ({ check, status: 'unusable', says })
