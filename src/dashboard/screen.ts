/** What a screen is to the page around it. */
import type { Client } from '../client/client.ts'
import type { User } from '../models/user.ts'
import type { ScreenUrl } from './screen-url.ts'

export interface ScreenContext {
  readonly client: Client
  readonly user: User
  readonly screenUrl: ScreenUrl
  /** Aborted when the reader leaves the screen; everything under way ends with it. */
  readonly signal: AbortSignal
  /** Reloads at the first page, with the current session and roles. */
  readonly restart: () => void
}

export interface Screen {
  /** For the window and for screen readers. */
  readonly title: string
  readonly element: HTMLElement
  /** What `/` goes to. */
  readonly search?: HTMLElement
  /** Whether the reader may go; asks where something would be lost. */
  mayLeave?(): Promise<boolean>
  /** Whether something would be lost if the window were closed now. */
  hasUnsaved?(): boolean
  /** Ctrl+S, or Cmd+S. */
  save?(): void
}

export type OpenScreen = (context: ScreenContext) => Screen
