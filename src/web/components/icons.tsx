const iconPaths = {
  check: 'M3.5 8.5l3 3 6-7',
  none: 'M4 8h8',
  warning: 'M8 2.2l6.3 11.3H1.7zM8 6.5v3.2M8 11.6v.1',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.6 10.6L14 14',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  pin: 'M8 14.5s4.6-4.5 4.6-8A4.6 4.6 0 003.4 6.5c0 3.5 4.6 8 4.6 8zM8 8.2a1.7 1.7 0 100-3.4 1.7 1.7 0 000 3.4z',
  link: 'M6.5 9.5l3-3M7 4.5l1.6-1.6a2.8 2.8 0 014 4L11 8.500M9 11.5l-1.6 1.6a2.8 2.8 0 01-4-4L5 7.5',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  person: 'M8 8.200a2.9 2.9 0 100-5.8 2.9 2.9 0 000 5.800zM2.8 14c.5-2.7 2.6-4 5.2-4s4.7 1.3 5.2 4',
  sun: 'M8 10.800a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.600zM8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.4 3.400l1.1 1.100M11.5 11.500l1.1 1.100M3.4 12.600l1.1-1.100M11.5 4.500l1.1-1.1',
  moon: 'M13.5 9.600A5.8 5.8 0 016.4 2.500a5.8 5.8 0 107.1 7.100z',
  contrast: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 2v12M8 4.500h3.900M8 7h5M8 9.500h5M8 12h3',
  chevron: 'M5 6.500l3 3 3-3',
  out: 'M6.5 3.500h-3v9h9v-3M9 2.500h4.500V7M13.5 2.500L7.5 8.5',
  compare: 'M2.5 3h4.500v10H2.500zM9 3h4.500v10H9z',
  refresh: 'M13 5.500A5.5 5.5 0 103.2 11M13 2v3.500H9.5',
  download: 'M8 2v8M4.5 7L8 10.5 11.5 7M3 13.500h10',
  layers: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
} as const

export type IconName = keyof typeof iconPaths

/** A 16 by 16 line icon in the text color. Screen readers ignore it, so the text beside it must say the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon--${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={iconPaths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

/** The logo: three stacked stones. */
export function Brand() {
  return (
    <svg class="brand" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <ellipse cx="10" cy="15.6" rx="8.4" ry="3.1" />
      <ellipse cx="9.2" cy="9.4" rx="5.7" ry="2.7" />
      <ellipse cx="10.8" cy="4.2" rx="3.3" ry="2.1" />
    </svg>
  )
}
