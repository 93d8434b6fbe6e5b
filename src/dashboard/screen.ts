/** What a screen is to the page around it. */
import type { Client } from '../client/client.ts'
import type { User } from '../models/user.ts'
import type { Live } from './live-changes.ts'
import type { ScreenUrl } from './screen-url.ts'
import type { IconName } from './kit/icons.ts'

export interface ScreenContext {
  readonly client: Client
  readonly user: User
  readonly screenUrl: ScreenUrl
  /** What changes meanwhile. */
  readonly live: Live
  /** Aborted when the reader leaves the screen; everything under way ends with it. */
  readonly signal: AbortSignal
  /** Reloads at the first page, with the current session and roles. */
  readonly restart: () => void
}

/** Something that can be done on a screen, for the palette. */
export interface ScreenAction {
  readonly title: string
  readonly icon: IconName
  /** With what it is done, such as `3 selected`. */
  readonly detail?: string
  /** Whether it sets a status, which `s` offers. */
  readonly isStatus?: boolean
  run(): void
}

/** What keys of one letter do on a screen: to the next row and the one before, edit, and choose. */
export type ScreenKeys = Readonly<Partial<Record<'j' | 'k' | 'e' | 'x', () => void>>>

export interface Screen {
  /** For the window and for screen readers. */
  readonly title: string
  readonly element: HTMLElement
  /** What `/` goes to. */
  readonly search?: HTMLElement
  readonly keys?: ScreenKeys
  /** What can be done now, as the focus and the chosen rows are. */
  actions?(): readonly ScreenAction[]
  /** Whether the reader may go; asks where something would be lost. */
  mayLeave?(): Promise<boolean>
  /** Whether something would be lost if the window were closed now. */
  hasUnsaved?(): boolean
  /** Ctrl+S, or Cmd+S. */
  save?(): void
}

export type OpenScreen = (context: ScreenContext) => Screen
