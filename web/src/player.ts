// The clock of the animation.

/** Plays simulated time. Call `tick` at every frame of the screen. */
export class Player {
  speed: number;
  loops = true;
  private current: number;
  private playing = false;
  private last: number | null = null;

  constructor(
    readonly start: number,
    readonly end: number,
    private readonly onChange: () => void,
  ) {
    this.current = start;
    this.speed = defaultSpeed(end - start);
  }

  get time(): number {
    return this.current;
  }
  get isPlaying(): boolean {
    return this.playing;
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.current = Math.min(Math.max(time, this.start), this.end);
    this.onChange();
  }

  play(): void {
    if (this.current >= this.end) this.current = this.start;
    this.playing = true;
    this.last = null;
    this.onChange();
  }
  pause(): void {
    this.playing = false;
    this.onChange();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** `now`: wall time [s]. */
  tick(now: number): void {
    if (!this.playing) return;
    // A tab in the background gets no ticks: it goes on where it was.
    const passed = this.last === null ? 0 : Math.min(now - this.last, 0.25);
    this.last = now;
    const next = this.current + passed * this.speed;
    if (next < this.end) {
      this.current = next;
    } else if (this.loops && this.end > this.start) {
      this.current = this.start + ((next - this.start) % (this.end - this.start));
    } else {
      this.current = this.end;
      this.playing = false;
    }
    this.onChange();
  }
}

/** Speeds to choose from, 1, 2, 5 times powers of ten, around one at which a run of this length takes about ten seconds. */
export function speedsFor(length: number): number[] {
  const middle = defaultSpeed(length);
  const speeds: number[] = [];
  for (let power = -12; power <= 12; ++power) {
    for (const step of [1, 2, 5]) {
      // Through text: powers of ten are not exact, and the names of the speeds must be.
      const speed = Number(`${step}e${power}`);
      if (speed >= middle / 101 && speed <= middle * 101) speeds.push(speed);
    }
  }
  return speeds;
}

function defaultSpeed(length: number): number {
  if (!(length > 0)) return 1;
  if (length >= 2 && length <= 30) return 1;
  const wanted = length / 10;
  const power = Math.floor(Math.log10(wanted));
  const share = wanted / 10 ** power;
  return Number(`${share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10}e${power}`);
}
