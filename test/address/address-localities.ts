import type { Written } from './address-components.ts'
import { stateNames, type TownFacts } from './address-words.ts'

/** Ways to write the town, state and ZIP code. */
export const localityStyles: Record<string, (town: TownFacts) => Written> = {
  commas: ([city, state, zip]) => ({ text: `, ${city}, ${state} ${zip}`, parts: { city, state, zip } }),
  'one comma': ([city, state, zip]) => ({ text: `, ${city} ${state} ${zip}`, parts: { city, state, zip } }),
  'no comma': (town) => {
    const [city, state, zip] = town
    // "Main St North Miami" can be read in two ways.
    return /^(?:North|South|East|West) /.test(city)
      ? localityStyles.commas!(town)
      : { text: ` ${city} ${state} ${zip}`, parts: { city, state, zip } }
  },
  'no comma, no ZIP code': ([city, state]) =>
    /^(?:North|South|East|West) /.test(city)
      ? { text: `, ${city} ${state}`, parts: { city, state } }
      : { text: ` ${city} ${state}`, parts: { city, state } },
  'ZIP code behind a space': ([, , zip]) => ({ text: ` ${zip}`, parts: { zip } }),
  'no town': () => ({ text: '', parts: {} }),
  'no ZIP code': ([city, state]) => ({ text: `, ${city}, ${state}`, parts: { city, state } }),
  'state in words': ([city, state, zip]) => ({
    text: `, ${city}, ${stateNames[state]} ${zip}`,
    parts: { city, state, zip },
  }),
  'ZIP+4': ([city, state, zip]) => ({
    text: `, ${city}, ${state} ${zip}-1234`,
    parts: { city, state, zip: `${zip}-1234` },
  }),
  country: ([city, state, zip]) => ({ text: `, ${city}, ${state} ${zip}, USA`, parts: { city, state, zip } }),
  county: ([city, state, zip, county]) => ({
    text: `, ${city}, ${county} County, ${state} ${zip}`,
    parts: { city, state, zip },
  }),
  'two lines': ([city, state, zip]) => ({ text: `\n${city}, ${state} ${zip}`, parts: { city, state, zip } }),
  'ZIP code only': ([, , zip]) => ({ text: `, ${zip}`, parts: { zip } }),
  'state and ZIP code': ([, state, zip]) => ({ text: `, ${state} ${zip}`, parts: { state, zip } }),
  'ZIP code without its zero': ([city, state, zip]) => ({
    text: `, ${city}, ${state} ${zip.replace(/^0/, '')}`,
    parts: { city, state, zip },
  }),
}

/** Those of Puerto Rico, whose ZIP codes begin with two zeros. */
export const puertoRicanStyles: typeof localityStyles = {
  commas: localityStyles.commas!,
  'one comma': localityStyles['one comma']!,
  'no comma': localityStyles['no comma']!,
  'ZIP code without its zeros': ([city, state, zip]) => ({
    text: `, ${city}, ${state} ${zip.replace(/^0+/, '')}`,
    parts: { city, state, zip },
  }),
  'state in words': localityStyles['state in words']!,
}
