/** Small drawings beside words: lines on a square of 24, in the colour of the text. They say nothing by themselves. */
import { svg } from './dom.ts'

const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  headline: 'M5 5h14v14H5zM8 9h8M8 12h8M8 15h5',
  topic: 'M4 12V5h7l9 9-7 7zM8 9h.01',
  source: 'M4 19V6l8-3 8 3v13M4 19h16M9 19v-6h6v6',
  country: 'M6 21V4M6 4h12l-3 4 3 4H6',
  language: 'M4 6h9M8.500 4v2M11 6c-1 4-3.500 7-7 8.500M6 9c1.500 2.500 4 4.500 6 5M12 20l4-10 4 10M13.500 17h5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1.500-4 4.500-5 8-5s6.500 1 8 5',
  remote_config: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  operations: 'M3 12h4l3-8 4 16 3-8h4',
  docs: 'M6 4h9l4 4v12H6zM14 4v5h5M9 13h6M9 16h6',
  calendar: 'M5 6h14v13H5zM5 10h14M9 3.500v4M15 3.500v4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.500 4.500',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  back: 'M15 6l-6 6 6 6',
  check: 'M5 13l4.500 4.500L19 7',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  external: 'M14 5h5v5M19 5l-9 9M17 14v5H5V7h5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  publish: 'M12 20V7M6 12l6-6 6 6M5 3h14',
  edit: 'M5 19h3L19 8l-3-3L5 16zM13 8l3 3',
  refresh: 'M20 11a8 8 0 1 0-2.300 6.600M20 5v6h-6',
  download: 'M12 4v12M6 11l6 6 6-6M5 21h14',
  columns: 'M4 5h16v14H4zM9.500 5v14M14.500 5v14',
  picture: 'M4 5h16v14H4zM8.500 10h.01M5 18l5-5 3 3 3-4 3 4',
  feed: 'M6 18.500h.01M5 12a7 7 0 0 1 7 7M5 5a14 14 0 0 1 14 14',
  view: 'M7 4h10v16l-5-4-5 4z',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
} as const

export type IconName = keyof typeof PATHS

export function icon(name: IconName): SVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }))
}

export function isIcon(name: string): name is IconName {
  return Object.hasOwn(PATHS, name)
}
