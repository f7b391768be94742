startVerdicts();
startRange();
startPictures();
startLegend();
startCurves();
startHeat("s-heat", "scale", "heat", "gradient", "gradient norm");
startHeat("s-branch", "branch-scale", "branch", "branch", "ratio");
startDepth();
startBasin();
startTable();
startConfig();
startSamples();
if (data.groups.some(g => g.status.includes("running"))) setTimeout(() => location.reload(), 10000);
document.getElementById("footer").textContent =
  `step0 ${data.version}. Of curves with more than 1000 points, the least and the largest of each piece are kept, and for smoothing its mean. Lines: mean over seeds.`;
