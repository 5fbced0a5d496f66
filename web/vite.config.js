// One classic script without imports: pages are opened as files, where browsers refuse modules.
export default {
  build: {
    target: "es2021",
    lib: { entry: "src/main.ts", formats: ["iife"], name: "tielinePage", fileName: () => "animation.js" },
  },
};
